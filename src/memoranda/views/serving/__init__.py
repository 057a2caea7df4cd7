"""What every server shares: the memories it keeps open, and operations run from arguments that arrive as JSON.

Knows no protocol: the MCP server and the HTTP server put their own words around it.
"""

"""Memory for agents over the Model Context Protocol: ten tools, resources and prompts, in both eras of the protocol.

`stdio` moves bytes, `server` knows the protocol, `calling` runs an operation, `page` writes for a model. Everything
heavy waits for the first call: a client that has to wait for its server runs the first turn without tools.
"""

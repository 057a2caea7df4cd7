"""`memoranda serve`: a JSON API and the Model Context Protocol over HTTP, for programs on this machine.

`checks` says who may ask at all, before a byte of a body is read; `guard` holds every request to it and to `limits`;
`api` runs one operation for each route of `operations.routes`; `server` owns the sockets and the signals. Needs the
extra `serve`.
"""

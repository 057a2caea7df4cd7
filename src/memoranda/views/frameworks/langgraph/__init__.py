"""LangGraph's `BaseStore` over the records of a memory: `langgraph_store(memory, langgraph.store.base)`."""

from memoranda.views.frameworks.langgraph.places import RECORDS
from memoranda.views.frameworks.langgraph.store import NotStored, langgraph_store

__all__ = ["RECORDS", "NotStored", "langgraph_store"]

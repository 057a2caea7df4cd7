"""The nouns: frozen values and the few errors. Imports nothing but the standard library."""

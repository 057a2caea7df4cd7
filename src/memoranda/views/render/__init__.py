"""The one renderer: values of the SDK as pages and as JSON, the same for every view. It decides nothing."""

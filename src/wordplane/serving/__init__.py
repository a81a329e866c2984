"""A model as a service over HTTP that stays up, with a page to try it (docs/serving.md).

One process supervises workers that are forked from it with the models in memory, so they share the
pages of the models. A worker runs uvicorn with one ASGI application, `service.Service`.
"""

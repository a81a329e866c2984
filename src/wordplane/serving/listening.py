"""The socket that a server listens at, its address and its certificate."""

from __future__ import annotations

import socket
import ssl

from wordplane.common.errors import InputError, WordplaneError
from wordplane.serving.settings import ListenOptions


def address_of(listener: socket.socket, options: ListenOptions) -> str:
    """The address of the page of a server."""
    host, port = listener.getsockname()[:2]
    scheme = "http" if options.tls_cert is None else "https"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def check_certificate(options: ListenOptions) -> None:
    """Whoever starts the service learns early if the certificate cannot be used."""
    if options.tls_cert is None:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            options.tls_cert,
            options.tls_key,
            lambda: "",  # nobody can type a password for every worker
        )
    except (OSError, ValueError) as error:
        files = " and ".join(file for file in (options.tls_cert, options.tls_key) if file)
        raise InputError(
            f"{files}: cannot be used as a certificate and its key in PEM ({error})"
        ) from None


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at an address."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise InputError(f"`host` is {host!r}, which is not an address ({error})") from None
    family, kind, protocol, _, address = addresses[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        why = error.strerror or error
        raise WordplaneError(
            f"cannot listen at {host} port {port}: {why}; try another `port`"
        ) from None
    listener.setblocking(False)
    return listener

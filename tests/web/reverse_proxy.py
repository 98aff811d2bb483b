"""A small reverse proxy that sets the headers of nginx's `proxy_set_header` lines.

with reverse_proxy({"Host": "$http_host"}) as proxy:
    proxy.upstream = homeshelf.url
    httpx.get(proxy.url)
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from tests.served import free_port


class ReverseProxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers
        self.upstream = ""
        super().__init__(("127.0.0.1", free_port()), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def reverse_proxy(headers: Mapping[str, str]) -> Iterator[ReverseProxy]:
    with ReverseProxy(headers) as proxy:
        Thread(target=proxy.serve_forever, args=(0.01,)).start()
        try:
            yield proxy
        finally:
            proxy.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: ReverseProxy

    def do_POST(self) -> None:
        host = self.headers["Host"]
        variables = {
            "$http_host": host,
            "$host": host.partition(":")[0],
            "$scheme": "http",
            "$proxy_add_x_forwarded_for": self.client_address[0],
        }
        sent = {**self.headers, **self.server.headers}
        upstream = HTTPConnection(urlsplit(self.server.upstream).netloc, timeout=10)
        upstream.request(
            "POST",
            self.path,
            self.rfile.read(int(self.headers["Content-Length"])),
            {name: variables.get(value, value) for name, value in sent.items()},
        )
        answer = upstream.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.read())
        upstream.close()

    def log_message(self, *_: object) -> None:
        """Keep quiet: the default writes each request to the standard error."""

#!/usr/bin/env bash
# until curl -sf: a server that takes its time.
# needs: python3 curl
python3 -c '
import http.server, time
time.sleep(3)
class H(http.server.BaseHTTPRequestHandler):
    started = time.time()
    def do_GET(self):
        ready = time.time() - self.started > 2
        self.send_response(200 if ready else 503)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")
    def log_message(self, *a): pass
http.server.ThreadingHTTPServer(("127.0.0.1", 21601), H).serve_forever()' &
until curl -sf http://127.0.0.1:21601/health; do
	echo waiting
	sleep 1
done
timeout 30 bash -c 'until curl -sf --retry 3 --retry-delay 1 http://localhost:21601/; do sleep 1; done' || exit 1
kill %1

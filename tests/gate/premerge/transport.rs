//! The same hook behind the ways in which a push really arrives: the daemon of git, and HTTP by way of git-http-backend.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::push::{Server, declined, taken};
use super::rig::{branch, change, git_at};

/// A child that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn accepted_and_refused(server: &Server, url: &str) {
    branch(&server.local, "docs/x");
    change(&server.local, "docs/a.md", "a\n");
    let push = |refs: &[&str]| server.local.git(&[&["push", url], refs].concat());
    taken(push(&["docs/x"])).says(&["remote: ACCEPTED  refs/heads/docs/x"]);
    change(&server.local, "src/app.py", "x\n");
    declined(push(&["docs/x"]), &["remote: violation[path-outside]: path outside policy: src/app.py"]);
    assert!(server.has("refs/heads/docs/x"));
}

#[test]
fn a_push_over_the_daemon_of_git() {
    let server = Server::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = server.local.git_command(&["daemon", "--reuseaddr", "--export-all", "--enable=receive-pack"]);
    command.args(["--listen=127.0.0.1", &format!("--port={port}")]);
    command.arg(format!("--base-path={}", server.local.outside().display()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _daemon = Ends(command.spawn().unwrap());
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(10), "the daemon does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    accepted_and_refused(&server, &format!("git://127.0.0.1:{port}/server.git"));
}

/// A server that runs git-http-backend as a CGI program, and says on its first line where it listens.
const CGI: &str = r#"
import http.server, os, subprocess, sys
backend, root = sys.argv[1:3]
class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words): pass
    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size); self.rfile.readline()
        self.rfile.readline(); return whole
    def answer(self):
        path, _, query = self.path.partition("?")
        body = self.body()
        env = dict(os.environ, GIT_PROJECT_ROOT=root, GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
            REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get("Content-Type", ""), REMOTE_USER="t",
            CONTENT_LENGTH=str(len(body)), HTTP_CONTENT_ENCODING=self.headers.get("Content-Encoding", ""),
            GIT_PROTOCOL=self.headers.get("Git-Protocol", ""), REMOTE_ADDR="127.0.0.1")
        out = subprocess.run([backend], input=body, env=env, stdout=subprocess.PIPE).stdout
        head, _, rest = out.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name != "Status": self.send_header(name, value)
        self.send_header("Content-Length", str(len(rest))); self.end_headers(); self.wfile.write(rest)
    do_GET = do_POST = answer
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;

#[test]
fn a_push_over_http() {
    let server = Server::new();
    let path = server.local.git(&["--exec-path"]).ok().stdout;
    let backend = std::path::Path::new(std::str::from_utf8(&path).unwrap().trim()).join("git-http-backend");
    let has_python = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !backend.exists() || !has_python {
        assert!(std::env::var_os("CORDON_TEST_ALL").is_none(), "git-http-backend and python3 are needed");
        eprintln!("skipped: there is no git-http-backend, or no python3");
        return;
    }
    git_at(&server.local, &server.bare, &["config", "http.receivepack", "true"]).ok();
    let mut command = server.local.command("python3");
    command.args(["-c", CGI]).arg(backend).arg(server.local.outside());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut serving = Ends(command.spawn().unwrap());
    let mut port = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    accepted_and_refused(&server, &format!("http://127.0.0.1:{}/server.git", port.trim()));
}

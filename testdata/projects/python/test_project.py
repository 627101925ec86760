import asyncio
import multiprocessing
import os
import pty
import socket
import tempfile
import threading

from project import total


def test_total(tmp_path):
    (tmp_path / "f").write_text(str(total(1, 2)))
    assert (tmp_path / "f").read_text() == "3"


def test_asyncio():
    async def both():
        return await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2))

    assert asyncio.run(both()) == [1, 2]


def test_asyncio_subprocess():
    async def run():
        p = await asyncio.create_subprocess_exec("echo", "out", stdout=asyncio.subprocess.PIPE)
        return (await p.communicate())[0]

    assert asyncio.run(run()) == b"out\n"


def test_multiprocessing():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]


def serve(server):
    with server:
        peer, _ = server.accept()
        with peer:
            peer.sendall(peer.recv(10).upper())


def talk(server, family, address):
    thread = threading.Thread(target=serve, args=(server,))
    thread.start()
    with socket.socket(family) as client:
        client.connect(address)
        client.sendall(b"hello")
        assert client.recv(10) == b"HELLO"
    thread.join()


def test_tcp():
    server = socket.create_server(("127.0.0.1", 0))
    talk(server, socket.AF_INET, server.getsockname())


def test_unix():
    with tempfile.TemporaryDirectory() as d:
        server = socket.socket(socket.AF_UNIX)
        server.bind(os.path.join(d, "s"))
        server.listen()
        talk(server, socket.AF_UNIX, os.path.join(d, "s"))


def test_unix_in_the_workspace():
    server = socket.socket(socket.AF_UNIX)
    server.bind("s")
    try:
        server.listen()
        talk(server, socket.AF_UNIX, "s")
    finally:
        os.unlink("s")


def test_openpty():
    ours, theirs = pty.openpty()
    os.write(theirs, b"x")
    assert os.read(ours, 1) == b"x"

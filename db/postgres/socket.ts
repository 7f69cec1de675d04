/** The sockets of Postgres connections. */
import { connect, type Socket } from "node:net";

/** What the driver (postgres 3.4.9) gives of the address it connects to: several hosts are tried in turn. */
interface SocketOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket; false if there is none. */
  readonly path: string | false;
}

/** A server, or a proxy with none behind it, accepted a connection and closed it. */
function closedAtOnce(): Error {
  const message = "the server accepted the connection and closed it before a word";
  return Object.assign(new Error(message), { code: "ECONNRESET" });
}

/**
 * Makes the driver's `socket` option. A connection that is closed before a byte came on it fails like one
 * that is refused: the driver would open the next one at once, for ever, and nobody would hear of it. After
 * `keepAliveMs` without a word the system asks the other end whether it is there.
 */
export function createSocketOpener(keepAliveMs: number): (options: SocketOptions) => Socket {
  let turn = 0;
  return ({ host, port, path }) => {
    const at = turn++ % Math.max(1, host.length);
    const place = { host: host[at] ?? "localhost", port: port[at] ?? 5432 };
    const socket = path === false ? connect(place) : connect(path);
    // The driver reads them: for the certificate's name, and to say where it could not connect.
    Object.assign(socket, place);
    socket.once("connect", () => socket.setKeepAlive(true, keepAliveMs));
    let isHeard = false;
    socket.once("data", () => isHeard = true);
    socket.once("end", () => {
      if (!isHeard) socket.destroy(closedAtOnce());
    });
    return socket;
  };
}

/** What the service asks of the runtime it runs on, beyond what node: modules give on both. */

interface PeerInfo {
  /** Address of the TCP peer, or "" where the runtime does not know it. */
  readonly remoteAddress: string;
}

/** Answers one request. What it throws goes to the server's `onError`. */
export type FetchHandler = (request: Request, peer: PeerInfo) => Response | Promise<Response>;

interface ServeOptions {
  readonly hostname: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly handler: FetchHandler;
  /** Called for an exception that escaped the handler; its answer goes to the client. */
  readonly onError: (error: unknown) => Response;
  /** Called where the system does not let a connection be accepted, however often; the runtime goes on trying. */
  readonly onRefusing: (error: unknown) => void;
}

/** A server that listens, and how it ends. `port` is the one that was bound. */
export interface HttpServer {
  readonly hostname: string;
  readonly port: number;
  /** Stops accepting; resolves when the requests in flight are answered. */
  drain(): Promise<void>;
  /** Closes at once, cutting what is in flight; what still drains is cut by the process's end. */
  close(): Promise<void>;
}

/** A job that runs by a schedule until `stop`; a run that is under way then goes on. */
export interface CronJob {
  stop(): void;
}

/** What differs between Deno and Bun: HTTP servers and cron. */
export interface Runtime {
  readonly name: "deno" | "bun";
  readonly version: string;
  serve(options: ServeOptions): Promise<HttpServer>;
  /**
   * Runs `job` on a five-field schedule in UTC; a tick is skipped while the job still runs.
   * @throws TypeError for a schedule it cannot read.
   */
  cron(name: string, schedule: string, job: () => Promise<void>): CronJob;
}

/** The proxies of deploy/ with the files that are shipped, but for addresses: what they listen on is in a folder. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./time.ts";

const ROOT = join(import.meta.dirname ?? ".", "..", "..");
const shipped = (file: string): string => readFileSync(join(ROOT, "deploy", file), "utf8");

/** Where a program is installed that is not on every PATH; undefined where it is not. */
export const find = (name: string): string | undefined =>
  ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"]
    .map((folder) => join(folder, name)).find(existsSync);

/** A whole configuration of nginx around deploy/nginx.conf; `change` sees what is shipped. */
export function nginxFile(
  folder: string,
  change: (text: string) => string = (text) => text,
): string {
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  if (!existsSync(certificate)) {
    execFileSync(find("openssl") ?? "openssl", [
      ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x"],
      ...["-out", certificate, "-keyout", key],
    ], { stdio: "ignore" });
  }
  const text = change(shipped("nginx.conf"))
    .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${key};`)
    // Sockets in the folder: a test takes no port of the machine's.
    .replace(
      /listen (\[::\]:)?(\d+)/g,
      (_all, six, port) => `listen unix:${folder}/${six === undefined ? "a" : "b"}${port}.sock`,
    );
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${text}\n}\n`,
  );
  return file;
}

export interface Proxy extends AsyncDisposable {
  /** Where it listens. */
  readonly socketPath: string;
  readonly isTls: boolean;
}

async function running(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  listening: Omit<Proxy, keyof AsyncDisposable>,
): Promise<Proxy> {
  const child = new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  void child.status.then(() => ended = true);
  await until(() => ended || existsSync(listening.socketPath), `${program} listens`);
  if (ended) throw new Error(`${program} ended`);
  return {
    ...listening,
    [Symbol.asyncDispose]: async () => {
      if (!ended) child.kill("SIGTERM");
      await child.status;
    },
  };
}

/** nginx in front of a service on this port of 127.0.0.1. */
export function startNginx(program: string, folder: string, port: number): Promise<Proxy> {
  const file = nginxFile(folder, (text) => text.replace("127.0.0.1:8402", `127.0.0.1:${port}`));
  // One process: it is ended by its number, and needs no second user.
  const global = "daemon off; master_process off;";
  const args = ["-e", "stderr", "-p", folder, "-c", file, "-g", global];
  return running(program, args, {}, { socketPath: join(folder, "a443.sock"), isTls: true });
}

/** Caddy, without its certificates, in front of a service on this port of 127.0.0.1. */
export function startCaddy(program: string, folder: string, port: number): Promise<Proxy> {
  const socketPath = join(folder, "caddy.sock");
  const file = join(folder, "Caddyfile");
  const text = shipped("Caddyfile").replace("127.0.0.1:8402", `127.0.0.1:${port}`)
    .replace("\n{\n", "\n{\n\tadmin off\n")
    .replace("demand.example {", `http://demand.example {\n\tbind unix/${socketPath}`);
  writeFileSync(file, text);
  const env = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const args = ["run", "--adapter", "caddyfile", "--config", file];
  return running(program, args, env, { socketPath, isTls: false });
}

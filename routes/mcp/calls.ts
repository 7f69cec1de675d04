/** POST /mcp in front of the protocol's library: counted, read, and its calls sent on to the routes. */
import { once } from "../../core/once.ts";
import type { AnswerRequest } from "../pipeline/request.ts";
import type { AppEnv } from "../pipeline/deps.ts";
import { type Admission, admit } from "../pipeline/admission.ts";
import type { Site } from "../pipeline/route.ts";

const MAX_MESSAGE_BYTES = 64 * 1024;
/** Headers of the message that hold for the call in it. */
const PASSED_ON = ["x-forwarded-for", "cache-control"];

/** Makes the answer; `fetch` is that of the application whose routes the tools are. */
export function toolCalls(
  admission: Admission,
  site: Site,
  fetch: (call: Request, env: AppEnv["Bindings"]) => Response | Promise<Response>,
): AnswerRequest {
  // The protocol's library is large, and most starts never need it.
  const mcp = once(async () => (await import("./server.ts")).mcpAnswer(site));
  return async (scope, c) => {
    admit(scope, admission.limits.challenges.take(admission.client(c), admission.now()));
    const message = await admission.whole(scope.request, MAX_MESSAGE_BYTES);
    // A tool's call takes two places: this one, and that of the route it is. It is counted here alone.
    const env = { ...c.env, counted: true, requestId: scope.requestId };
    return await admission.work.hold(async () => {
      const answer = await mcp();
      return await answer({ ...scope, request: message }, async (call) => {
        for (const name of PASSED_ON) {
          const value = scope.request.headers.get(name);
          if (value !== null) call.headers.set(name, value);
        }
        return await fetch(call, env);
      });
    });
  };
}

/** A thread that judges posts: what it is sent first is the context, what follows are posts. */
import { type Category, type Community, makeRegistry } from "../communities/registry.ts";
import { isKept, type JudgeContext, type PostFindings, readPost } from "../judge.ts";
import type { PseudonymousPost } from "../types.ts";

/** A context as it passes between threads: data alone. */
interface SentContext extends Omit<JudgeContext, "registry" | "extractor"> {
  readonly categories: readonly Category[];
  readonly communities: readonly Community[];
}

/** What a thread is sent. */
export type ToJudge =
  | { readonly type: "context"; readonly context: SentContext }
  | { readonly type: "posts"; readonly posts: readonly PseudonymousPost[] };

/** What it answers to posts; `failed` holds what was thrown. */
export type FromJudge =
  | { readonly type: "findings"; readonly findings: readonly PostFindings[] }
  | { readonly type: "failed"; readonly error: unknown };

/** As much of a worker's global scope as is used here. */
interface WorkerScope {
  postMessage(message: FromJudge): void;
  onmessage: ((event: { readonly data: ToJudge }) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
let context: JudgeContext | null = null;

scope.onmessage = ({ data }) => {
  if (data.type === "context") {
    const { categories, communities, ...rest } = data.context;
    context = { ...rest, registry: makeRegistry(categories, communities) };
    return;
  }
  try {
    if (context === null) throw new Error("posts came before the context");
    const judging = context;
    const findings = data.posts.map((post) => readPost(post, judging)).filter(isKept);
    scope.postMessage({ type: "findings", findings });
  } catch (error) {
    scope.postMessage({ type: "failed", error });
  }
};

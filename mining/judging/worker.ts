/** A thread that judges posts: what it is sent first is the context, what follows are posts. */
import { type Category, type Community, makeRegistry } from "../communities/registry.ts";
import { type JudgeContext, type PostFindings, readPost } from "../judge.ts";
import type { Post } from "../types.ts";

/** A context as it passes between threads: data alone. */
export interface SentContext extends Omit<JudgeContext, "registry" | "extractor"> {
  readonly categories: readonly Category[];
  readonly communities: readonly Community[];
}

export type ToJudge =
  | { readonly type: "context"; readonly context: SentContext }
  | { readonly type: "posts"; readonly posts: readonly Post[] };

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
    const findings: PostFindings[] = [];
    for (const post of data.posts) {
      const found = readPost(post, context);
      if (found.judged !== null || found.shown !== null) findings.push(found);
    }
    scope.postMessage({ type: "findings", findings });
  } catch (error) {
    scope.postMessage({ type: "failed", error });
  }
};

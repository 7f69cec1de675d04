/** Judging posts in threads of their own, so that an import uses every processor of the machine. */
import { isBundled } from "../../runtime/bundled.ts";
import type { JudgeContext, PostFindings } from "../judge.ts";
import type { PseudonymousPost } from "../types.ts";
import type { FromJudge, ToJudge } from "./worker.ts";

/** Judges posts elsewhere than in this thread. */
interface JudgeThreads {
  /**
   * What posts say of demand, in their order, without those that say nothing.
   * Rejects where judging fails, then and for every later call.
   */
  judge(posts: readonly PseudonymousPost[]): Promise<PostFindings[]>;
  /** Ends the threads; what they were asked is not answered any more. */
  close(): void;
}

/** Posts that a thread is sent at a time: about 20 ms of work. */
const PIECE = 32;
/** A thread holds the reader's weights, and takes some 150 MB. */
const MOST_BY_DEFAULT = 4;

interface Piece extends PromiseWithResolvers<readonly PostFindings[]> {
  readonly posts: readonly PseudonymousPost[];
}

/** `most` threads, or one for each processor, four at most; each starts when there is work that no other is free for. */
export function judgeInThreads(
  { registry: { categories, communities }, origin, checkedAt }: Omit<
    JudgeContext,
    "extractor"
  >,
  most = Math.min(MOST_BY_DEFAULT, navigator.hardwareConcurrency),
): JudgeThreads {
  const threads: Worker[] = [];
  const idle: Worker[] = [];
  const waiting: Piece[] = [];
  const inHand = new Map<Worker, Piece>();
  let failure: { readonly error: unknown } | null = null;

  const fail = (error: unknown): void => {
    failure ??= { error };
    for (const { reject } of [...inHand.values(), ...waiting.splice(0)]) reject(error);
    inHand.clear();
  };

  const start = (): Worker => {
    const name = isBundled(import.meta.url) ? "./judge_worker.js" : "./worker.ts";
    const thread = new Worker(new URL(name, import.meta.url), { type: "module" });
    thread.onmessage = ({ data }: MessageEvent<FromJudge>) => {
      if (data.type === "failed") return fail(data.error);
      inHand.get(thread)?.resolve(data.findings);
      inHand.delete(thread);
      idle.push(thread);
      handOut();
    };
    thread.onerror = (event) => {
      event.preventDefault();
      fail(new Error(`a judging thread failed: ${event.message}`));
    };
    send(thread, {
      type: "context",
      context: { categories, communities, origin, checkedAt },
    });
    threads.push(thread);
    return thread;
  };

  const handOut = (): void => {
    while (waiting.length > 0) {
      const thread = idle.pop() ?? (threads.length < most ? start() : undefined);
      if (thread === undefined) return;
      const piece = waiting.shift()!;
      inHand.set(thread, piece);
      send(thread, { type: "posts", posts: piece.posts });
    }
  };

  const judgePiece = (posts: readonly PseudonymousPost[]): Promise<readonly PostFindings[]> => {
    if (failure !== null) return Promise.reject(failure.error);
    const piece = { posts, ...Promise.withResolvers<readonly PostFindings[]>() };
    waiting.push(piece);
    handOut();
    return piece.promise;
  };

  return {
    judge: async (posts) => {
      const pieces = [];
      for (let at = 0; at < posts.length; at += PIECE) pieces.push(posts.slice(at, at + PIECE));
      return (await Promise.all(pieces.map(judgePiece))).flat();
    },
    close: () => threads.forEach((thread) => thread.terminate()),
  };
}

const send = (thread: Worker, message: ToJudge): void => thread.postMessage(message);

/** What the serving thread and the embedded database's worker say to each other. */

export type ToWorker =
  | { readonly type: "open"; readonly dataDir: string; readonly socketPath: string | null }
  | { readonly type: "connect"; readonly connection: number }
  | { readonly type: "data"; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly type: "end"; readonly connection: number }
  | { readonly type: "sync"; readonly ticket: number }
  | { readonly type: "close" };

export type FromWorker =
  | { readonly type: "opened"; readonly listening: boolean }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "data"; readonly connection: number; readonly bytes: Uint8Array }
  | { readonly type: "ended"; readonly connection: number }
  | { readonly type: "synced"; readonly ticket: number; readonly error: string | null }
  | { readonly type: "closed" };

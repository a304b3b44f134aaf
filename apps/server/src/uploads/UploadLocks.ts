import { ERRORS, type Lock, type Locker, type RequestRelease } from "@tus/utils"

interface Held {
  readonly cancel: RequestRelease
  readonly released: Promise<void>
  readonly release: () => void
}

/**
 * One request at a time on an upload. A new request asks the earlier one to end, because its client may be the same one that
 * lost the connection. Waiting uses no processor time, unlike `MemoryLocker`'s.
 */
export class UploadLocks implements Locker {
  private readonly held = new Map<string, Held>()

  newLock(id: string): Lock {
    return { lock: (signal, cancel) => this.lock(id, signal, cancel), unlock: async () => this.unlock(id) }
  }

  private async lock(id: string, signal: AbortSignal, cancel: RequestRelease): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
    for (let before = this.held.get(id); before !== undefined; before = this.held.get(id)) {
      await before.cancel()
      await Promise.race([before.released, aborted])
      if (signal.aborted) throw ERRORS.ABORTED
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.held.set(id, { cancel, released: promise, release: resolve })
  }

  private unlock(id: string): void {
    this.held.get(id)?.release()
    this.held.delete(id)
  }
}

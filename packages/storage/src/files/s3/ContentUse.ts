import { Effect, Semaphore } from "effect"

/** The use of one content by this process. */
interface Use {
  /** Readers, and received copies that are not placed yet. The object exists as long as there are any. */
  users: number
  /** For `exclusively`. */
  readonly lock: Semaphore.Semaphore
  lockUsers: number
  /** It was retired; `isCommitted` once the object may be removed. */
  retired: { isCommitted: boolean } | undefined
}

/**
 * Counts the users of each content, so that a retired object is removed like a file on a disk: invisible at once, its bytes when
 * the last reader closes it. Content that is stored again meanwhile stays, or is uploaded again. For one process only.
 */
export class ContentUse {
  private readonly uses = new Map<string, Use>()
  private readonly removeObject: (sha256: string) => Effect.Effect<void>

  constructor(removeObject: (sha256: string) => Effect.Effect<void>) {
    this.removeObject = removeObject
  }

  private of(sha256: string): Use {
    const found = this.uses.get(sha256)
    if (found !== undefined) return found
    const use: Use = { users: 0, lock: Semaphore.makeUnsafe(1), lockUsers: 0, retired: undefined }
    this.uses.set(sha256, use)
    return use
  }

  private forget(sha256: string, use: Use): void {
    const isIdle = use.users === 0 && use.lockUsers === 0 && use.retired === undefined
    if (isIdle && this.uses.get(sha256) === use) this.uses.delete(sha256)
  }

  enter(sha256: string): void {
    this.of(sha256).users++
  }

  /** The last user removes an object that was retired meanwhile. */
  leave(sha256: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const use = this.of(sha256)
      use.users--
      return this.removeIfUnused(sha256, use)
    })
  }

  /** Cancels a removal. */
  keep(sha256: string): void {
    const use = this.of(sha256)
    use.retired = undefined
    this.forget(sha256, use)
  }

  /** Returns the effect that removes the object, when it has no users and the removal was not cancelled. */
  retire(sha256: string): Effect.Effect<void> {
    const use = this.of(sha256)
    const retired = { isCommitted: false }
    use.retired = retired
    return Effect.suspend(() => {
      retired.isCommitted = true
      return this.removeIfUnused(sha256, use)
    })
  }

  /** Runs changes of one object one after another. */
  exclusively<A, E>(sha256: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const use = this.of(sha256)
      use.lockUsers++
      return Effect.ensuring(
        use.lock.withPermits(1)(effect),
        Effect.sync(() => {
          use.lockUsers--
          this.forget(sha256, use)
        })
      )
    })
  }

  private removeIfUnused(sha256: string, use: Use): Effect.Effect<void> {
    const isRemovable = () => use.retired?.isCommitted === true && use.users === 0
    if (!isRemovable()) {
      this.forget(sha256, use)
      return Effect.void
    }
    const remove = Effect.suspend(() => {
      if (!isRemovable()) return Effect.void
      use.retired = undefined
      return this.removeObject(sha256)
    })
    return this.exclusively(sha256, remove)
  }
}

import {
  type Delivery,
  type DeliveryId,
  type FolderId,
  parseRecordingUuid,
  type Recording,
  type RecordingUuid
} from "@tapedeck/domain"
import { type DeliveryStateName, deliveryStateName, isFinalState } from "@tapedeck/domain/delivery"
import type { ListedDelivery } from "@tapedeck/domain/internal/delivery"
import { Context, Effect, Layer } from "effect"
import { auditor } from "../audit/audited.ts"
import { type InputMalformed, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { cursorOf, placeIn } from "../input/cursors.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import type { CursorPage } from "../recordings/RecordingList.ts"
import { readableFinder } from "../recordings/recordingFinder.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type DeliverySearch, storeOf, type WebhookReceiver } from "../store/Store.ts"
import { Deliveries } from "./Deliveries.ts"
import { deliveringAgain, type LogOwner, ownerOf, receiverFinder } from "./deliverAgain.ts"

/** Selects deliveries. `recordingUuid` is as the caller wrote it. */
export type LogOptions<A> = Omit<DeliverySearch, "accountId" | "recordingUuid"> & {
  readonly recordingUuid?: string
  readonly cursor?: string
  /** Returns the page's item for a delivery. Called when the delivery is read. */
  readonly each: (delivery: ListedDelivery) => A
}

/** Result of a recording's move into its folder: the number of the folder's automations by the state of their deliveries. */
export interface FolderDeliveries {
  readonly folderId: FolderId | null
  readonly states: Readonly<Partial<Record<DeliveryStateName, number>>>
}

/** Maximum number of a recording's deliveries that `inFolder` reads, newest first. */
const maxOfRecording = 100

/**
 * The execution logs of automations and audit destinations: each delivery with its attempts (Events). What one has sent
 * stays in the log of its receiver, send-tests included, which are marked (W9). Once that is deleted, its deliveries are
 * found by their ids and by their recordings.
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Newest first. */
    readonly list: <A>(
      caller: Caller,
      owner: LogOwner,
      options: LogOptions<A>
    ) => Effect.Effect<CursorPage<A>, NotFound | InputMalformed>
    /** Lists the deliveries of the whole account, including those of deleted automations, destinations and recordings, newest first. */
    readonly ofAccount: <A>(caller: Caller, options: LogOptions<A>) => Effect.Effect<CursorPage<A>, InputMalformed>
    /** Returns the recordings of deliveries that the account still has. Each is read once. */
    readonly recordingsOf: (
      caller: Caller,
      uuids: Iterable<RecordingUuid | null>
    ) => Effect.Effect<ReadonlyMap<RecordingUuid, Recording>>
    /**
     * Counts the automations of the recording's folder by the state of their latest delivery of the recording. A member learns no more
     * of automations. Automations that have sent nothing are not counted.
     */
    readonly inFolder: (caller: Caller, uuid: string) => Effect.Effect<FolderDeliveries, NotFound>
    readonly get: (caller: Caller, owner: LogOwner | null, id: string) => Effect.Effect<Delivery, NotFound>
    /**
     * Sends the same body again, as a new delivery with an id and a schedule of its own. A delivery that still has attempts is
     * cancelled, and the new one replaces it. Send-tests, and deliveries to a disabled receiver, are refused.
     */
    readonly redeliver: (
      caller: Caller,
      owner: LogOwner,
      id: string
    ) => Effect.Effect<Delivery, NotFound | StateConflict | Unauthenticated>
    /**
     * Cancels a delivery; an attempt in flight ends without a retry. A repeat changes nothing; one that
     * was delivered, or permanently failed, is `StateConflict`.
     */
    readonly cancel: (caller: Caller, id: string) => Effect.Effect<Delivery, NotFound | StateConflict | Unauthenticated>
  }
>()("@tapedeck/core/DeliveryLog") {
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const store = yield* storeOf("automations", "deliveries", "recordings")
      const readable = readableFinder(store)
      const write = yield* writer
      const deliveries = yield* Deliveries
      const audit = yield* auditor
      const { pageSize } = yield* ServiceConfig
      const receiverOf = yield* receiverFinder
      const deliverAgain = yield* deliveringAgain

      /** The count is the first page's: others have it in their cursor, and count nothing. */
      const ofAccount = Effect.fn("DeliveryLog.ofAccount")(function* <A>(
        { account }: Caller,
        options: LogOptions<A>
      ): Effect.fn.Return<CursorPage<A>, InputMalformed> {
        const { cursor, each, recordingUuid: text, ...filter } = options
        const recordingUuid = text === undefined ? undefined : parseRecordingUuid(text)
        if (text !== undefined && recordingUuid === undefined) return { count: 0, isExact: true, items: [] }
        const [after = null, counted, isCounted] =
          cursor === undefined ? [] : yield* placeIn("deliveries", cursor, "number", "number", "number")
        const search = { ...filter, accountId: account.id, ...(recordingUuid !== undefined && { recordingUuid }) }
        const { items, next, ...found } = yield* store.deliveries.search(search, after as number | null, pageSize, each)
        const count = counted === undefined ? found.count : Number(counted)
        const isExact = isCounted === undefined ? found.isExact : isCounted === 1
        if (next === null) return { count, isExact, items }
        return { count, isExact, items, nextCursor: cursorOf("deliveries", next, count, isExact ? 1 : 0) }
      })

      const list = Effect.fn("DeliveryLog.list")(function* <A>(
        caller: Caller,
        owner: LogOwner,
        options: LogOptions<A>
      ): Effect.fn.Return<CursorPage<A>, NotFound | InputMalformed> {
        const { receiver } = yield* receiverOf(caller, owner)
        return yield* ofAccount(caller, { ...options, ...receiver })
      })

      const recordingsOf = Effect.fnUntraced(function* ({ account }: Caller, uuids: Iterable<RecordingUuid | null>) {
        const named = [...new Set(uuids)].filter((uuid) => uuid !== null)
        const found = yield* store.recordings.byUuids(named)
        const own = found.filter(({ accountId }) => accountId === account.id)
        return new Map(own.map((recording) => [recording.uuid, recording]))
      })

      const inFolder = Effect.fn("DeliveryLog.inFolder")(function* (caller: Caller, uuid: string) {
        const { accountId, folderId, uuid: recordingUuid } = yield* readable(caller, uuid)
        if (folderId === null) return { folderId, states: {} }
        const uncounted = new Set((yield* store.automations.ofFolder(folderId)).map(({ id }) => id))
        const { items } = yield* store.deliveries.page(
          { accountId, recordingUuid },
          { offset: 0, limit: maxOfRecording },
          ({ automationId, state, test }) => ({ automationId, state: deliveryStateName(state), test })
        )
        const states: Partial<Record<DeliveryStateName, number>> = {}
        for (const { automationId, state, test } of items) {
          if (test || automationId === null || !uncounted.delete(automationId)) continue
          states[state] = (states[state] ?? 0) + 1
        }
        return { folderId, states }
      })

      const find = Effect.fnUntraced(function* (caller: Caller, receiver: WebhookReceiver | null, id: string) {
        const delivery = yield* store.deliveries.byId(id as DeliveryId)
        const isItsOwn =
          receiver === null ||
          ("automationId" in receiver
            ? delivery?.automationId === receiver.automationId
            : delivery?.destinationId === receiver.destinationId)
        return delivery?.accountId === caller.account.id && isItsOwn
          ? delivery
          : yield* new NotFound({ what: "Delivery" })
      })

      const get = Effect.fn("DeliveryLog.get")(function* (caller: Caller, owner: LogOwner | null, id: string) {
        const receiver = owner === null ? null : (yield* receiverOf(caller, owner)).receiver
        return yield* find(caller, receiver, id)
      })

      const redeliver = Effect.fn("DeliveryLog.redeliver")(function* (caller: Caller, owner: LogOwner, id: string) {
        const { receiver } = yield* receiverOf(caller, owner)
        const again = yield* deliverAgain(caller, owner, yield* find(caller, receiver, id))
        return yield* find(caller, receiver, again)
      })

      const cancel = Effect.fn("DeliveryLog.cancel")(function* (caller: Caller, id: string) {
        const before = yield* find(caller, null, id)
        if (before.state._tag === "Cancelled") return before
        if (isFinalState(before.state)) return yield* new StateConflict({ reason: "The delivery has ended" })
        yield* deliveries.cancel(before)
        const owner = ownerOf(before)
        if (owner !== null) {
          const changes = { delivery: { from: before.id, to: null } }
          yield* audit(caller, `${owner.kind}.delivery_cancelled`, { type: owner.kind, id: owner.id }, changes)
        }
        return yield* find(caller, null, id)
      })

      return DeliveryLog.of({
        list,
        ofAccount,
        recordingsOf,
        inFolder,
        get,
        redeliver: (caller, owner, id) => write(caller, redeliver(caller, owner, id)),
        cancel: (caller, id) => write(caller, cancel(caller, id))
      })
    })
  )
}

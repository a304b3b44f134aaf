import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { RotateCw } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { choiceOf, count, elapsed } from "../ui/format.ts"
import { Modal } from "../ui/Modal.tsx"
import { messageOf, Problem } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { type DeliveriesSearch, filtersInWords, queryOf, useReceiverName } from "./queries.ts"
import { states, stateWord } from "./words.ts"

/** Maximum values of the service. */
const maxLimit = 10_000
const maxRate = 100

const numberIn = (text: string, max: number): number | undefined => {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= max ? value : undefined
}

/** Numbers of the deliveries that are skipped, with their reasons. */
const passedOver = ({ skipped }: Settings.RedeliveryEstimate): ReadonlyArray<readonly [number, string]> =>
  [
    [skipped.send_tests, count(skipped.send_tests, "send-test")] as const,
    [skipped.receivers, `${skipped.receivers.toLocaleString("en")} to receivers that are off or deleted`] as const,
    [skipped.payloads, `${count(skipped.payloads, "payload")} too large to be sent`] as const,
    [skipped.unsent, `${skipped.unsent.toLocaleString("en")} that were not sent, unless the reason is gone`] as const
  ].filter(([number]) => number > 0)

/** The button, and the dialog that counts the matching deliveries before anything is sent. */
export const DeliverAgainByFilter = ({ search }: { readonly search: DeliveriesSearch }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button icon={RotateCw} onClick={() => setOpen(true)}>
        Deliver again by filter
      </Button>
      <Modal
        title="Deliver again by filter"
        description="The payloads are sent once more, the newest first, each as a new delivery with a schedule of its own."
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <Form search={search} onClose={() => setOpen(false)} />
      </Modal>
    </>
  )
}

const Form = ({ onClose, search }: { readonly search: DeliveriesSearch; readonly onClose: () => void }) => {
  // If the list's filters have no state, delivered deliveries are not sent again unless the user chooses them.
  const [state, setState] = useState<DeliveriesSearch["state"] | "any">(search.state ?? "permanently_failed")
  const chosen: DeliveriesSearch = { ...search, state: state === "any" ? undefined : state }
  const filters = queryOf(chosen)
  const client = useQueryClient()
  const receiverName = useReceiverName()
  const [limitText, setLimit] = useState("1000")
  const [rateText, setRate] = useState("10")
  // One key for all tries of this dialog: a repeated request starts one job.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const estimate = useQuery({
    queryKey: ["deliveries", "count", "redelivery", filters],
    queryFn: async () => {
      const found = await tapedeck.settings.redeliveries.create({ ...filters, dry_run: true })
      return "dry_run" in found ? found : null
    },
    placeholderData: keepPreviousData
  })
  const limit = numberIn(limitText, maxLimit)
  const rate = numberIn(rateText, maxRate)
  const start = useMutation({
    mutationFn: (given: { readonly limit: number; readonly rate: number }) =>
      tapedeck.settings.redeliveries.create({ ...filters, ...given }, { idempotencyKey }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["deliveries"] })
      done("The redelivery is started.")
      onClose()
    }
  })
  const found = estimate.data ?? undefined
  const passed = found === undefined ? [] : passedOver(found)
  const skipped = passed.reduce((sum, [number]) => sum + number, 0)
  const asked = found === undefined || limit === undefined ? undefined : Math.min(found.count, limit)
  const taken = asked === undefined ? undefined : Math.max(0, asked - Math.min(skipped, asked))
  const words = filtersInWords(chosen, receiverName)
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (limit !== undefined && rate !== undefined) start.mutate({ limit, rate })
      }}
    >
      <p className="text-soft">
        {words === "" ? "No filter is set: every delivery matches. Set filters in the list first to choose." : words}
      </p>
      <SelectField
        label="Which"
        value={state ?? "any"}
        onChange={({ target }) => setState(choiceOf(states, target.value) ?? "any")}
      >
        {states.map((one) => (
          <option key={one} value={one}>
            {stateWord(one)}
          </option>
        ))}
        <option value="any">In any state, delivered ones too</option>
      </SelectField>
      {estimate.error !== null ? (
        <Problem error={estimate.error} onRetry={() => void estimate.refetch()} />
      ) : (
        <p role="status" className="text-base font-semibold tabular">
          {found === undefined
            ? "Counting …"
            : `${found.count_is_exact ? "" : "More than "}${count(found.count, "delivery matches", "deliveries match")}.`}
        </p>
      )}
      {found !== undefined && skipped > 0 && (
        <p role="status" className="text-warn">
          {found.examined < (asked ?? 0) && `Of the newest ${found.examined.toLocaleString("en")}, `}
          {skipped.toLocaleString("en")} passed over: {passed.map(([, text]) => text).join(", ")}.
        </p>
      )}
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="At most"
          inputMode="numeric"
          value={limitText}
          onChange={({ target }) => setLimit(target.value)}
          hint={`1 to ${maxLimit.toLocaleString("en")} deliveries`}
          error={limit === undefined ? `A number from 1 to ${maxLimit.toLocaleString("en")}` : undefined}
        />
        <TextField
          label="A second"
          inputMode="numeric"
          value={rateText}
          onChange={({ target }) => setRate(target.value)}
          hint={`1 to ${maxRate} deliveries`}
          error={rate === undefined ? `A number from 1 to ${maxRate}` : undefined}
        />
      </div>
      {taken !== undefined && rate !== undefined && taken > 0 && (
        <p className="text-soft">
          {count(taken, "delivery", "deliveries")} in about {elapsed(Math.max(Math.ceil(taken / rate), 1) * 1000)}.
          Pending deliveries are cancelled: the new ones replace them.
        </p>
      )}
      {start.error !== null && (
        <p role="alert" className="text-bad">
          {messageOf(start.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          disabled={taken === undefined || taken === 0 || rate === undefined}
          isBusy={start.isPending}
        >
          {taken === undefined || taken === 0 ? "Start" : `Start with ${count(taken, "delivery", "deliveries")}`}
        </Button>
      </div>
    </form>
  )
}

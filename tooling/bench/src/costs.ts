import { GCProfiler, getHeapStatistics } from "node:v8"

/** What a process spent between two moments. Unlike times, these figures are stable on a machine that others use. */
export interface Costs {
  readonly contextSwitches: number
  readonly minorFaults: number
  readonly allocatedBytes: number
}

/** Starts counting; the returned function stops and returns the costs since then. */
export const countCosts = (): (() => Costs) => {
  const profiler = new GCProfiler()
  profiler.start()
  const usedBefore = getHeapStatistics().used_heap_size
  const before = process.resourceUsage()
  return () => {
    const after = process.resourceUsage()
    const usedAfter = getHeapStatistics().used_heap_size
    const collections = profiler.stop()?.statistics ?? []
    // The heap grows by what is allocated, and shrinks only in collections.
    const collected = collections.reduce(
      (sum, { afterGC, beforeGC }) => sum + beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
      0
    )
    const switches = ({ involuntaryContextSwitches, voluntaryContextSwitches }: NodeJS.ResourceUsage) =>
      involuntaryContextSwitches + voluntaryContextSwitches
    return {
      contextSwitches: switches(after) - switches(before),
      minorFaults: after.minorPageFault - before.minorPageFault,
      allocatedBytes: usedAfter - usedBefore + collected
    }
  }
}

/** The costs of one operation, as results of a bench. */
export const costsOf = (
  key: string,
  costs: Costs,
  operations: number
): Record<string, { readonly value: number; readonly unit: string }> => ({
  [`${key}_context_switches`]: { value: costs.contextSwitches / operations, unit: "an operation" },
  [`${key}_minor_faults`]: { value: costs.minorFaults / operations, unit: "an operation" },
  [`${key}_allocated`]: { value: costs.allocatedBytes / operations, unit: "bytes an operation" }
})

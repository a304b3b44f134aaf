import { useEffect, useRef, useSyncExternalStore } from "react"
import uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { dateFormat } from "../ui/format.ts"

/** The chart's colours are those of the style sheet; a canvas needs them resolved. */
export type ChartColour = "good" | "warn" | "bad" | "info" | "accent" | "edge"

export interface ChartSeries {
  readonly label: string
  readonly colour: ChartColour
  readonly values: ReadonlyArray<number | null>
}

interface ChartProps {
  /** Description of the chart, with its figures in words. */
  readonly label: string
  /** Seconds since 1970. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<ChartSeries>
  /** Bars stand on each other, in the order of the series. */
  readonly look: "bars" | "lines"
  readonly format: (value: number) => string
}

const heightPx = 160

const darkness = matchMedia("(prefers-color-scheme: dark)")

const themeOf = () => `${document.documentElement.dataset.theme ?? ""} ${darkness.matches}`

const subscribe = (listener: () => void) => {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
  darkness.addEventListener("change", listener)
  return () => {
    observer.disconnect()
    darkness.removeEventListener("change", listener)
  }
}

/** Returns each series added to all previous ones, so that bars are drawn behind each other, the highest first. */
const stacked = (series: ReadonlyArray<ChartSeries>): ReadonlyArray<ChartSeries> => {
  const sums: Array<number> = []
  return series
    .map(({ values, ...rest }) => {
      const piled = values.map((value, index) => {
        sums[index] = (sums[index] ?? 0) + (value ?? 0)
        return sums[index]
      })
      return { ...rest, values: piled }
    })
    .reverse()
}

const hours = dateFormat({ hour: "2-digit", minute: "2-digit" })
const days = dateFormat({ day: "numeric", month: "short" })

/** Returns labels in the reader's time zone: the time, and at midnight the day. */
const instantsOf = (seconds: ReadonlyArray<number>): Array<string> =>
  seconds.map((value) => {
    const at = new Date(value * 1000)
    return at.getHours() === 0 && at.getMinutes() === 0 ? days.format(at) : hours.format(at)
  })

const optionsOf = (
  { format, look }: Pick<ChartProps, "format" | "look">,
  series: ReadonlyArray<ChartSeries>,
  colour: (name: string) => string,
  width: number
): uPlot.Options => {
  const bars = uPlot.paths.bars?.({ size: [0.8, 24] })
  const axis = {
    stroke: colour("soft"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: "11px Inter Variable, system-ui, sans-serif"
  }
  return {
    width,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, max) => [0, Math.max(max * 1.1, 1)] } },
    axes: [
      { ...axis, values: (_, seconds) => instantsOf(seconds) },
      { ...axis, size: 56, values: (_, values) => values.map(format) }
    ],
    series: [
      {},
      ...series.map(({ colour: name, label }) => ({
        label,
        stroke: colour(name),
        width: look === "bars" ? 0 : 2,
        spanGaps: true,
        points: { show: look === "lines", size: 4, fill: colour(name) },
        ...(look === "bars" && { fill: colour(name), ...(bars !== undefined && { paths: bars }) })
      }))
    ]
  }
}

/** A chart as a picture. Its label and a table beside it have its content. */
export const Chart = ({ format, label, look, series, times }: ChartProps) => {
  const root = useRef<HTMLDivElement>(null)
  const theme = useSyncExternalStore(subscribe, themeOf)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours come with the theme
  useEffect(() => {
    const element = root.current
    if (element === null) return
    // Each colour needs a new element, because colours of displayed elements change in transitions.
    const colour = (name: string) => {
      const probe = document.createElement("span")
      probe.style.color = `var(--color-${name})`
      element.append(probe)
      const resolved = getComputedStyle(probe).color
      probe.remove()
      return resolved
    }
    const drawn = look === "bars" ? stacked(series) : series
    const data = [[...times], ...drawn.map(({ values }) => [...values])] as uPlot.AlignedData
    const chart = new uPlot(optionsOf({ format, look }, drawn, colour, element.clientWidth), data, element)
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: heightPx }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [format, look, series, times, theme])
  return (
    <figure className="min-w-0">
      <div ref={root} role="img" aria-label={label} className="h-40 overflow-hidden" />
      <ul aria-hidden className="flex flex-wrap gap-x-3 text-xs text-soft">
        {series.map(({ colour, label: name }) => (
          <li key={name} className="flex items-center gap-1">
            <span className="size-2 rounded-full" style={{ background: `var(--color-${colour})` }} />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

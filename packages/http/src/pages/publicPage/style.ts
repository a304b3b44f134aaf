/** The public page's looks. It is allowed by its hash: it is never put together from anything. */
export const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --soft: #5d6678; --ground: #f5f6f8; --card: #fff; --line: #e3e6ec; --now: #e8eeff; --accent: #2450c9; --bad: #b3261e }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eceef3; --soft: #98a2b3; --ground: #14171f; --card: #1d212b; --line: #2d323e; --now: #24304f; --accent: #8fb0ff; --bad: #ff8f87 }
  }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
  main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere }
  h2 { font-size: 1rem; margin: 0; padding: .75rem 1rem; border-bottom: 1px solid var(--line) }
  .facts { color: var(--soft); margin: 0 0 1.25rem; font-size: .9rem }
  .stage { background: #0b0d12; border-radius: .75rem; overflow: hidden; aspect-ratio: 16 / 9; display: grid; place-items: center }
  video { width: 100%; height: 100%; display: block; min-height: 0; min-width: 0 }
  .stage p { color: #98a2b3; margin: 0; padding: 1rem; text-align: center }
  .copy { margin-top: .75rem; display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; font-size: .9rem; color: var(--soft) }
  .copy button { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .375rem; padding: .25rem .75rem; cursor: pointer; font-variant-numeric: tabular-nums }
  .copy button:hover { border-color: var(--accent) }
  .copy button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  .copy output { overflow-wrap: anywhere }
  .card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; overflow: hidden }
  .text { padding: .25rem 1.25rem; margin-top: 1.25rem }
  .text p { unicode-bidi: plaintext; white-space: pre-wrap; overflow-wrap: anywhere }
  .transcript { margin-top: 1.25rem; display: flex; flex-direction: column; min-height: 0 }
  .transcript > p { color: var(--soft); margin: 0; padding: 1rem }
  .segments { padding: .375rem; overflow: auto; max-height: 65vh; position: relative }
  .segments ol { list-style: none; margin: 0; padding: 0; content-visibility: auto; contain-intrinsic-size: auto 48rem }
  .segment { display: grid; grid-template-columns: 4.25em 1fr; gap: .25rem; width: 100%; padding: .375rem .5rem; font: inherit; font-size: .95rem; color: inherit; text-align: start; background: none; border: 0; border-radius: .375rem }
  .segment time { color: var(--soft); font-variant-numeric: tabular-nums; text-align: end; padding-inline-end: .5rem }
  .segment span { unicode-bidi: plaintext; overflow-wrap: anywhere; white-space: pre-line; min-width: 0 }
  button.segment { cursor: pointer }
  button.segment:hover { background: var(--ground) }
  button.segment:hover time, [aria-current] time { color: var(--accent) }
  [aria-current] { background: var(--now) !important }
  button.segment:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px }
  .chapters ol { list-style: none; margin: .75rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .375rem }
  .chapters button { font: inherit; font-size: .9rem; color: inherit; text-align: start; background: var(--card); border: 1px solid var(--line); border-radius: .375rem; padding: .125rem .5rem; cursor: pointer; overflow-wrap: anywhere }
  .chapters button:hover { border-color: var(--accent) }
  .chapters button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
  .chapters time { color: var(--soft); font-variant-numeric: tabular-nums; margin-inline-end: .5rem }
  .log { margin-top: 1.25rem }
  .log summary { padding: .75rem 1rem; font-weight: 600; cursor: pointer }
  .log p { margin: 0; padding: 0 1rem .75rem }
  .log a { color: var(--accent) }
  .log ol { list-style: none; margin: 0; padding: .375rem; overflow: auto; max-height: 65vh; border-top: 1px solid var(--line) }
  .event { display: grid; grid-template-columns: 4em 6em 1fr; gap: .25rem; width: 100%; padding: .2rem .5rem; font: .8rem/1.5 ui-monospace, monospace; color: inherit; text-align: start; background: none; border: 0; border-radius: .375rem }
  .event time, .event span { color: var(--soft) }
  .event bdi { overflow-wrap: anywhere; min-width: 0 }
  .error bdi { color: var(--bad) }
  button.event { cursor: pointer }
  button.event:hover { background: var(--ground) }
  button.event:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px }
  .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
  .embed { max-width: none; height: 100vh; padding: 0; display: grid; grid-template-rows: minmax(0, 1fr) }
  .embed .stage { border-radius: 0; aspect-ratio: auto; min-height: 0 }
  .embed .transcript { margin: 0; border: 0; border-radius: 0; max-height: 40vh }
  .embed .segments { max-height: none; flex: 1 }
  @media (min-width: 44rem) {
    .embed { grid-template-columns: minmax(0, 1fr) }
    .embed .stage + .transcript { grid-column: 2; width: 20rem; max-height: 100vh; border-inline-start: 1px solid var(--line) }
  }
  @media (min-width: 62rem) {
    main.wide { max-width: 86rem }
    .wide .beside { display: grid; grid-template-columns: minmax(0, 1fr) 26rem; gap: 1.25rem; align-items: start }
    .wide .transcript { margin-top: 0; position: sticky; top: 1rem; max-height: calc(100vh - 8.5rem) }
    .wide .segments { max-height: none; flex: 1 }
  }
`

/** The hash by which a page's policy allows it. A test compares the two. */
export const styleHash = "sha256-UhKsYLC37sSAsxWxvo9pb6RRsbLowItFxE6LyLIVGyU="

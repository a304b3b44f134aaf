/** The style of the sign-in pages. */
export const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --soft: #5d6778; --ground: #f5f6f8; --card: #fff; --line: #e3e6ec; --link: #2450c9; --on-link: #fff; --bad: #b42318; --good: #05683c }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eceef3; --soft: #a3acba; --ground: #14171f; --card: #1d212b; --line: #2d323e; --link: #8fb0ff; --on-link: #10131a; --bad: #ff9b90; --good: #6bd6a3 }
  }
  * { box-sizing: border-box }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
  main { max-width: 26rem; margin: 0 auto; padding: 4rem 1rem }
  p:last-child { margin-bottom: 0 }
  main.wide { max-width: 44rem }
  h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 1.25rem }
  h2 { font-size: 1rem; margin: 0 0 .75rem }
  p { margin: 0 0 1rem; color: var(--soft) }
  section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; margin-top: 1rem }
  label { display: block; font-weight: 600; font-size: .875rem; margin-bottom: .875rem }
  input { display: block; width: 100%; margin-top: .25rem; padding: .5rem .625rem; font: inherit; font-weight: 400; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: .5rem }
  input[hidden] { display: none }
  input:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
  button, .button { display: block; width: 100%; padding: .55rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-link); background: var(--link); border: 1px solid var(--link); border-radius: .5rem; cursor: pointer }
  .plain { color: var(--link); background: none; border-color: var(--line) }
  .small { display: inline-block; width: auto; padding: .25rem .75rem; font-size: .875rem }
  .or { text-align: center; margin: 1rem 0; font-size: .875rem }
  .bad, .good { padding: .625rem .75rem; border-radius: .5rem; border: 1px solid currentcolor; font-size: .9375rem }
  .bad { color: var(--bad) }
  .good { color: var(--good) }
  .row { display: flex; gap: 1rem; align-items: center; justify-content: space-between; flex-wrap: wrap }
  ul { list-style: none; margin: 0; padding: 0 }
  li { padding: .75rem 0; border-top: 1px solid var(--line) }
  li:first-child { border-top: 0; padding-top: 0 }
  .facts { margin: 0; font-size: .875rem; color: var(--soft) }
  .row > div { flex: 1 1 16rem; min-width: 0 }
  .name { overflow-wrap: anywhere }
  a { color: var(--link) }
  .foot { margin-top: 1rem; font-size: .875rem }
`

export const style = `
:root { color-scheme: light dark; --ink: #1b2130; --soft: #5d677a; --ground: #fff; --side: #f6f7f9; --line: #e2e6ec;
  --code: #f2f4f7; --link: #2456c7; --get: #0b7a4b; --patch: #9a5b00; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf1; --soft: #9aa4b5; --ground: #12151c; --side: #181c25; --line: #2b313d;
    --code: #1d222c; --link: #8ab0ff; --get: #4cc38a; --patch: #e5a54b; --bad: #ff8a80 }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; color: var(--ink); background: var(--ground); font: 15px/1.6 system-ui, sans-serif }
nav { position: fixed; inset: 0 auto 0 0; width: 17rem; overflow: auto; background: var(--side); border-right: 1px solid var(--line); padding: 1.5rem 1.25rem }
nav strong { display: block; font-size: 1.05rem; margin-bottom: 1rem }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft); margin: 1.25rem 0 .35rem; border: 0; padding: 0 }
nav a { display: block; padding: .15rem 0; color: inherit; text-decoration: none; font-size: .9rem }
nav a:hover { color: var(--link) }
main { margin-left: 17rem; padding: 2rem 2.5rem 6rem; max-width: 66rem }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem }
h2 { font-size: 1.4rem; margin: 3rem 0 .75rem; padding-bottom: .35rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.1rem; margin: 2.5rem 0 .35rem }
h4 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; color: var(--soft); margin: 1.25rem 0 .35rem }
p { margin: .4rem 0 }
a { color: var(--link) }
code, pre { font: .88em/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace }
code { background: var(--code); padding: .08em .3em; border-radius: .25rem }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; overflow: auto; max-height: 26rem }
pre code { background: none; padding: 0 }
.call { font: .95rem ui-monospace, Menlo, Consolas, monospace; display: flex; gap: .6rem; align-items: baseline; overflow-wrap: anywhere }
.method { font-weight: 700; color: var(--get) } .method.patch { color: var(--patch) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .92rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 500; white-space: nowrap } .type { color: var(--soft); white-space: nowrap }
small { color: var(--soft) }
details { border-bottom: 1px solid var(--line); padding: .35rem 0 } summary { cursor: pointer }
.status { display: inline-block; min-width: 2.4rem; font-weight: 600; color: var(--get) } .status.bad { color: var(--bad) }
@media (max-width: 52rem) { nav { position: static; width: auto; border: 0 } main { margin: 0; padding: 1.25rem } }
`

/** Style of the element, in the colours of the site. */
export const style = `
:host {
  display: block;
  margin-block: 1.5rem;
  border: 1px solid var(--sl-color-hairline, #8888);
  border-radius: 0.75rem;
  overflow: clip;
  font-size: 0.9375rem;
  line-height: 1.5;
  color: var(--sl-color-gray-2, inherit);
  --good: light-dark(#067647, #6ce9a6);
  --bad: light-dark(#b42318, #fda29b);
}
* { box-sizing: border-box; }
.head, .receiver, .status { padding: 0.875rem 1rem; }
.head + *, .receiver + *, ol:not(:empty) { border-top: 1px solid var(--sl-color-hairline, #8888); }
.head { display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; align-items: center; justify-content: space-between;
  background: var(--sl-color-bg-sidebar, transparent); }
.clock { display: flex; flex-direction: column; }
.label { font-size: 0.8125rem; color: var(--sl-color-gray-3, inherit); }
time, .number { font-variant-numeric: tabular-nums; }
.clock time { font-size: 1.25rem; font-weight: 600; color: var(--sl-color-white, inherit); }
.buttons { display: flex; flex-wrap: wrap; gap: 0.5rem; }
button { font: inherit; font-weight: 500; padding: 0.375rem 0.75rem; min-height: 2.25rem; border-radius: 0.5rem; cursor: pointer;
  border: 1px solid var(--sl-color-gray-5, #888); background: var(--sl-color-bg, transparent); color: var(--sl-color-white, inherit); }
button:hover { background: var(--sl-color-gray-6, #8882); }
button.main { border-color: transparent; background: #4a3fd6; color: #fff; }
button.main:hover { background: #4338ca; }
button:disabled, button:disabled:hover { cursor: default; color: var(--sl-color-gray-3, #777); background: transparent;
  border-color: var(--sl-color-hairline, #8888); }
:focus-visible { outline: 2px solid var(--sl-color-text-accent, #5a51d8); outline-offset: 2px; }
fieldset { margin: 0; border: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
legend { float: left; padding: 0; margin: 0; font-weight: 500; color: var(--sl-color-white, inherit); }
fieldset label { display: inline-flex; gap: 0.375rem; align-items: center; min-height: 1.5rem; cursor: pointer; }
input { accent-color: #5a51d8; margin: 0; }
.status { margin: 0; min-height: 3.25rem; color: var(--sl-color-white, inherit); }
ol { list-style: none; margin: 0; padding: 0; }
li { margin: 0; }
li + li { border-top: 1px solid var(--sl-color-hairline, #8888); }
summary, .pending { display: grid; grid-template-columns: 0.75rem 5.25rem 1fr auto; gap: 0.5rem; align-items: baseline; padding: 0.625rem 1rem; }
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; }
[open] > summary::before { content: "▾"; }
.console { border-top: 1px solid var(--sl-color-hairline, #8888); }
.console > summary { grid-template-columns: 0.75rem 1fr; color: var(--sl-color-white, inherit); }
.console p { margin: 0; padding: 0 1rem 1rem; }
iframe { display: block; width: 100%; height: 40rem; border: 0; border-top: 1px solid var(--sl-color-hairline, #8888); }
.pending::before { content: ""; }
.pending { color: var(--sl-color-gray-3, inherit); }
.name { font-weight: 600; color: var(--sl-color-white, inherit); }
.success { color: var(--good); font-weight: 600; }
.failed { color: var(--bad); font-weight: 600; }
.detail { padding: 0 1rem 1rem; display: grid; gap: 0.75rem; }
.detail p { margin: 0; }
.detail .name { font-size: 0.875rem; }
pre { margin: 0.25rem 0 0; padding: 0.75rem; border-radius: 0.5rem; overflow-x: auto; font-size: 0.8125rem; line-height: 1.6;
  background: var(--sl-color-gray-6, #8882); color: var(--sl-color-gray-2, inherit); font-family: var(--sl-font-mono, monospace);
  white-space: pre-wrap; overflow-wrap: anywhere; }
mark { background: none; color: var(--sl-color-text-accent, inherit); font-weight: 600; }
@media (max-width: 30rem) {
  .head { align-items: stretch; flex-direction: column; }
}
`

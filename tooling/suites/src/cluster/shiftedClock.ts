/** Loaded first by a process, it shifts its machine's clock by TAPEDECK_TEST_CLOCK milliseconds: nothing else of it changes. */

const shift = Number(process.env.TAPEDECK_TEST_CLOCK)
const Real = Date

globalThis.Date = new Proxy(Real, {
  construct: (target, given: ReadonlyArray<unknown>) =>
    given.length === 0 ? new target(target.now() + shift) : (Reflect.construct(target, given) as Date),
  apply: () => new Real(Real.now() + shift).toString(),
  get: (target, name) => (name === "now" ? () => target.now() + shift : Reflect.get(target, name))
})

/** A `ref` that focuses a control when it replaces the one with the focus. */
export const focus = (control: HTMLElement | null): void => control?.focus()

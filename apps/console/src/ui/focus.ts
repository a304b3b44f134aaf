/** A `ref` by which a control takes the focus when it appears in the place of the one that had it. */
export const focus = (control: HTMLElement | null): void => control?.focus()

/** The number that an id in a path spells; undefined where it spells none, and so names nothing (as R5). */
export const numericIdIn = (text: string): number | undefined => {
  const number = /^[1-9]\d*$/.test(text) ? Number(text) : 0
  return number >= 1 && Number.isSafeInteger(number) ? number : undefined
}

/**
 * That two keys are the same, for a join. Said by `=`, PostgreSQL may answer it by a walk through the whole of a table that it takes
 * for empty: the queue is, whenever all is done, and what was planned then is kept. Said so, one of them is looked up.
 */
export const lookedUp = (key: string, by: string): string => `${key} BETWEEN ${by} AND ${by}`

/** Advisory locks of this program are in one space. */
const lockSpace = 0x7a9e
export const auditOrderLock = `${lockSpace}, 1`
export const migrationLock = `${lockSpace}, 2`

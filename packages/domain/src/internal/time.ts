/** Time, and work in slices. Internal to the packages of Tapedeck: any release may change it. */

export { atOnce, type Sliced } from "../slices.ts"
export { connectAttemptMs } from "../time.ts"

/** The way over the network. Apart from the rest: undici weighs as much as all else together, and not everybody dials. */
export { acquireAgent, type NetworkAgent } from "./receiverAgent.ts"
export { layerUndici, sendOverNetwork } from "./undiciSender.ts"

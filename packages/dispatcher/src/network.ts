/** The way over the network. Apart from the rest: undici weighs as much as all else together, and not everybody dials. */

export { InvalidCidr, parseCidrs } from "./guard/addresses.ts"
export { networkPolicy } from "./guard/NetworkPolicy.ts"
export { dnsResolver } from "./guard/resolver.ts"
export { layerNetwork, type NetworkOptions } from "./layerNetwork.ts"
export { InvalidProxy, parseProxy } from "./network/proxy.ts"
export { acquireAgent, type NetworkAgent } from "./receiverAgent.ts"
export { sendOverNetwork } from "./undiciSender.ts"

/** Sending over the network. A separate entry point, because undici is as large as the rest, and not always needed. */

export { layerNetwork, type NetworkOptions } from "./layerNetwork.ts"
export { InvalidCidr, networkPolicy, parseCidrs } from "./NetworkPolicy.ts"
export { InvalidProxy, parseProxy } from "./proxy.ts"
export { acquireAgent, type NetworkAgent } from "./ReceiverAgent.ts"
export { dnsResolver } from "./resolver.ts"
export { sendOverNetwork } from "./sendOverNetwork.ts"

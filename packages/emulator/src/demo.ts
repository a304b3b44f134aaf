export const demoDocument = {}

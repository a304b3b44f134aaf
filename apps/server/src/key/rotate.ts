import type { Written } from "../config/Config.ts"
export const rotateKey = async (_: Written): Promise<void> => {}

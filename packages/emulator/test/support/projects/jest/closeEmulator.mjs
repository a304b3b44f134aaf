export default () => globalThis.emulator.close()

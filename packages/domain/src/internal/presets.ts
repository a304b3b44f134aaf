/** Presets of automations for helpdesks. Apart from the receivers: only the console needs them. Internal to the packages of Tapedeck: any release may change it. */

export {
  type HelpdeskPreset,
  helpdeskPresets,
  type PresetField,
  type PresetSettings,
  presetLabel,
  presetProblems,
  presetSettings
} from "../receivers/helpdeskPresets.ts"

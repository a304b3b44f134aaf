import { Tapedeck } from "@tapedeck/client"

// A module whose types are all inferred. `declaration` has to write them by names that can be imported.

export const tapedeck = new Tapedeck({ baseUrl: "https://rec.acme.example", token: "tdk_1" })
export const { recordings, settings, uploads, users, v1, webhooks } = tapedeck
export const { automations, folders } = settings
export const createFolder = () => folders.create({ name: "VIP" })
export const listFolders = async () => folders.list()
export const pageOfRecordings = async () => (await settings.recordings.list()).pagination
export const deliveries = async () => (await settings.deliveries.list()).deliveries
export const video = async (uuid: string) => (await settings.recordings.get(uuid)).video
export const flat = async (uuid: string) => v1.recordings.get(uuid)
export const flatList = () => v1.recordings.list()
export const recording = (uuid: string) => recordings.get(uuid).withResponse()
export const download = (uuid: string) => recordings.download(uuid)
export const upload = (uuid: string, file: Blob) => uploads.start(uuid, file)
export const changes = () => tapedeck.changes()
export const { unwrap } = webhooks

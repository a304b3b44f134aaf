import { useQuery } from "@tanstack/react-query"
import { control, type World } from "../api/control.ts"

export const useWorld = () =>
  useQuery({ queryKey: ["control", "world"], queryFn: () => control<World>("GET", ""), staleTime: 0 })

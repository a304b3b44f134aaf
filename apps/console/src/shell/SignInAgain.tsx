import { useMutation } from "@tanstack/react-query"
import { type FormEvent, useEffect, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { productPath } from "../api/mount.ts"
import type { Me } from "../api/session.tsx"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Modal } from "../ui/Modal.tsx"
import { messageOf } from "../ui/states.tsx"

/**
 * Dialog for a session that has ended during work. The screen behind it keeps its state and all typed text. A sign-in by the provider
 * uses another tab.
 */
const SignInAgain = ({ me, onSignedIn }: { readonly me: Me; readonly onSignedIn: () => void }) => {
  const [email, setEmail] = useState(me.email)
  const [password, setPassword] = useState("")
  const resume = (id: number) => (id === me.id ? onSignedIn() : location.reload())
  const signIn = useMutation({
    mutationFn: () => tapedeck.settings.signIn.withPassword({ email, password }),
    onSuccess: ({ user }) => resume(user.id),
    onError: () => {}
  })
  useEffect(() => {
    const look = async () => {
      const session = await tapedeck.settings.sessions.current().catch(() => null)
      if (session === null) return
      if (session.user.id === me.id) onSignedIn()
      else location.reload()
    }
    addEventListener("focus", look)
    return () => removeEventListener("focus", look)
  }, [me.id, onSignedIn])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    signIn.mutate()
  }
  return (
    <Modal
      title="Sign in"
      description="Your session has ended. Sign in to continue; the text that you typed is still here."
      isOpen
      isFixed
      onClose={() => {}}
    >
      <form onSubmit={submit} className="space-y-3">
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={signIn.error === null ? undefined : messageOf(signIn.error)}
        />
        <div className="flex flex-wrap items-center gap-3 pt-1">
          <Button look="primary" type="submit" isBusy={signIn.isPending}>
            Sign in
          </Button>
          <a href={productPath("/sign-in")} target="_blank" rel="noreferrer" className="text-accent hover:underline">
            Other ways to sign in
          </a>
        </div>
      </form>
    </Modal>
  )
}

export default SignInAgain

/**
 * Writes the entries of the changelogs, for `changeset version`. A reader of a package needs the changes, not the commits: entries
 * name no hashes, and each release names the new versions of dependencies once.
 */
export default {
  getReleaseLine: ({ summary }) => {
    const [first, ...more] = summary.trim().split("\n")
    if (more.length === 0) return `- ${first}`
    // With paragraphs and a list of its own, which would be hard to read as an item of another list.
    return `\n\n${summary.trim()}\n\n`
  },
  getDependencyReleaseLine: (_changesets, dependencies) => {
    const versions = dependencies.map(({ name, newVersion }) => `\`${name}\` ${newVersion}`)
    return versions.length === 0 ? "" : `- Requires ${versions.join(", ")}.`
  }
}

/** Maximum number of segments of an imported transcript: cues of a WebVTT or SubRip file, segments of JSON. */
export const MAX_TRANSCRIPT_SEGMENTS = 50_000

/** Maximum length of the text of a cue, with its markup, in code units. */
export const MAX_TRANSCRIPT_CUE_CHARACTERS = 2_000_000

/** Maximum number of lines of a WebVTT or SubRip file. */
export const MAX_TRANSCRIPT_LINES = 500_000

/** Maximum number of sentences in all segments of an imported transcript: voices of a WebVTT or SubRip file. */
export const MAX_TRANSCRIPT_SENTENCES = 250_000

/** Maximum number of words with times in an imported transcript: 24 hours at 170 words a minute. */
export const MAX_TRANSCRIPT_WORDS = 250_000

/** Maximum number of hours in a time of a WebVTT or SubRip file. */
export const MAX_TRANSCRIPT_HOURS = 9_999

export const tooLongCue = `the text of a cue has at most ${MAX_TRANSCRIPT_CUE_CHARACTERS} characters`
export const tooManyLines = `a transcript has at most ${MAX_TRANSCRIPT_LINES} lines`
export const tooManySegments = `a transcript has at most ${MAX_TRANSCRIPT_SEGMENTS} segments`
export const tooManySentences = `a transcript has at most ${MAX_TRANSCRIPT_SENTENCES} sentences`
export const tooManyWords = `a transcript has at most ${MAX_TRANSCRIPT_WORDS} words`
export const tooManyHours = `a time has at most ${MAX_TRANSCRIPT_HOURS} hours`

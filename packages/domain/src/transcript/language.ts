/** Maximum length of a language tag. */
const MAX_TAG_LENGTH = 255

/** Returns whether a text looks like a BCP 47 tag: `en`, `pt-BR`, `zh-Hant-TW`. */
export const isLanguageTag = (text: string): boolean =>
  text.length <= MAX_TAG_LENGTH && /^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(text)

/** The languages of Whisper, by the English names that it returns. */
const named =
  "afrikaans af,albanian sq,amharic am,arabic ar,armenian hy,assamese as,azerbaijani az,bashkir ba,basque eu,belarusian be," +
  "bengali bn,bosnian bs,breton br,bulgarian bg,burmese my,cantonese yue,castilian es,catalan ca,chinese zh,croatian hr," +
  "czech cs,danish da,dutch nl,english en,estonian et,faroese fo,finnish fi,flemish nl,french fr,galician gl,georgian ka," +
  "german de,greek el,gujarati gu,haitian ht,haitian creole ht,hausa ha,hawaiian haw,hebrew he,hindi hi,hungarian hu," +
  "icelandic is,indonesian id,italian it,japanese ja,javanese jv,kannada kn,kazakh kk,khmer km,korean ko,lao lo,latin la," +
  "latvian lv,letzeburgesch lb,lingala ln,lithuanian lt,luxembourgish lb,macedonian mk,malagasy mg,malay ms,malayalam ml," +
  "maltese mt,mandarin zh,maori mi,marathi mr,moldavian ro,moldovan ro,mongolian mn,myanmar my,nepali ne,norwegian no," +
  "nynorsk nn,occitan oc,panjabi pa,pashto ps,persian fa,polish pl,portuguese pt,punjabi pa,pushto ps,romanian ro,russian ru," +
  "sanskrit sa,serbian sr,shona sn,sindhi sd,sinhala si,sinhalese si,slovak sk,slovenian sl,somali so,spanish es,sundanese su," +
  "swahili sw,swedish sv,tagalog tl,tajik tg,tamil ta,tatar tt,telugu te,thai th,tibetan bo,turkish tr,turkmen tk,ukrainian uk," +
  "urdu ur,uzbek uz,valencian ca,vietnamese vi,welsh cy,yiddish yi,yoruba yo"

const byName: ReadonlyMap<string, string> = new Map(
  named.split(",").map((one) => {
    const space = one.lastIndexOf(" ")
    return [one.slice(0, space), one.slice(space + 1)] as const
  })
)

/** Returns the BCP 47 tag of a language for its tag or its English name; null if it is unknown. */
export const languageTagOf = (language: string): string | null => {
  const trimmed = language.trim()
  return byName.get(trimmed.toLowerCase()) ?? (isLanguageTag(trimmed) ? trimmed : null)
}

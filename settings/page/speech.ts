import { chooseLanguage, type Language, loadTexts, type Section, type Texts } from "./texts.ts";

/** The language of the page, and its texts with every section that a view has asked for. */
export class Speech {
  private readonly sections = new Set<Section>();
  /** The language that the user chose last. Its texts may still be loading. */
  private wanted: Language;

  constructor(public language: Language, public t: Texts) {
    this.wanted = language;
  }

  /** Loads sections, now and after each change of the language. @throws when offline. */
  async add(sections: readonly Section[]): Promise<void> {
    const missing = sections.filter((name) => !Object.hasOwn(this.t, name));
    for (const name of missing) this.sections.add(name);
    if (missing.length > 0) await this.load();
  }

  /** Switches to another language. @throws when offline; the language then remains unchanged. */
  async choose(language: Language): Promise<void> {
    this.wanted = language;
    try {
      await this.load();
    } catch (error) {
      this.wanted = this.language;
      throw error;
    }
    chooseLanguage(this.language);
  }

  private async load(): Promise<void> {
    const [language, sections] = [this.wanted, [...this.sections]];
    const t = await loadTexts(language, sections);
    // The user may have chosen another language, or a view may have requested a section, in the
    // meantime.
    if (this.wanted !== language || sections.length < this.sections.size) return this.load();
    this.language = language;
    this.t = t;
  }
}

import type { Component, Template } from "./template_types.ts";
import { TEMPLATES } from "./templates.ts";

/** One entry for each language of each template. */
const ALL: Template[] = Object.entries(TEMPLATES).flatMap(([name, template], at) =>
  Object.entries(template.components).map(([language, components], nth) => {
    const { takes: _, category = "UTILITY", ...rest } = template;
    return {
      id: String(700_000_000_000_000 + at * 100 + nth),
      name,
      language,
      status: "APPROVED" as const,
      category,
      correct_category: category,
      quality_score: { score: "GREEN" as const },
      rejected_reason: "NONE",
      parameter_format: "POSITIONAL" as const,
      ...rest,
      components,
    };
  })
);

/** The template of this name in this language. */
export function findTemplate(name: string, language: string): Template | undefined {
  return ALL.find((template) => template.name === name && template.language === language);
}

/**
 * The templates as the channel lists them.
 *
 * @param sampleUrl returns the URL of a file in SAMPLES.
 */
export function listedTemplates(sampleUrl: (file: string) => string): Template[] {
  const listed = (components: Component[]): Component[] =>
    components.map((component) => {
      if (component.type === "CAROUSEL") {
        const cards = component.cards.map(({ components }) => ({ components: listed(components) }));
        return { ...component, cards };
      }
      if (!("example" in component) || !component.example) return component;
      if (!("header_handle" in component.example)) return component;
      const header_handle = component.example.header_handle.map(sampleUrl);
      return { ...component, example: { header_handle } } as Component;
    });
  return ALL.map((template) => ({ ...template, components: listed(template.components) }));
}

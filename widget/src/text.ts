// The words of the widget, in the language that came with the configuration.

export let words: Record<string, string> = {}
export let language = 'en'

export const fill = (text: string, value: string | number) => text.replace(/{.*?}/, () => '' + value)

export function speak(tag: string, all: Record<string, string>) {
	language = tag
	words = all
}

export const direction = () => (/ar|he/.test(language) ? 'rtl' : 'ltr')

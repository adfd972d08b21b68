// renames: text=source, parts=pieces, line=row
const VOWELS = "aeiou";

// == slug
export function slug(text) {
  const kept = [];
  for (const letter of text.toLowerCase()) {
    if (/[a-z0-9]/.test(letter)) {
      kept.push(letter);
    } else if (kept.length > 0 && kept[kept.length - 1] !== "-") {
      kept.push("-");
    }
  }
  return kept.join("").replace(/-$/, "");
}

// == wrap
export function wrap(text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ").filter((part) => part !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else if (line !== "") {
      line = line + " " + word;
    } else {
      line = word;
    }
  }
  if (line !== "") {
    lines.push(line);
  }
  return lines;
}

// == plural
export function plural(word, count) {
  if (count === 1) {
    return word;
  }
  if (word.endsWith("y") && !VOWELS.includes(word.at(-2))) {
    return word.slice(0, -1) + "ies";
  }
  if (word.endsWith("s") || word.endsWith("x")) {
    return word + "es";
  }
  return word + "s";
}

// == initials
export function initials(name) {
  const parts = name.split(" ");
  let letters = parts.map((part) => part[0].toUpperCase());
  if (letters.length > 3) {
    letters = [letters[0], letters[letters.length - 1]];
  }
  return letters.join(".");
}

// == shorten
export function shorten(text, limit) {
  if (text.length <= limit) {
    return text;
  }
  const room = limit - 3;
  let cut = text.slice(0, room);
  const space = cut.lastIndexOf(" ");
  if (space > 0) {
    cut = cut.slice(0, space);
  }
  return cut + "...";
}

// == headline
export function headline(text, count) {
  const title = shorten(text.trim(), 20);
  const noun = plural("entry", count);
  return `${title} (${count} ${noun})`;
}

// SPDX-License-Identifier: GPL-2.0-only
// Reads XML of the kind that flamegraph.c writes: elements, attributes in double quotes, text and
// CDATA. readXml() returns a list of { open: name, attributes: }, { close: name } and { text: }.

function unescapeXml(text) {
	var letters = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'" };

	return text.replace(/&([^;]*);/g, function (whole, name) {
		if (!letters.hasOwnProperty(name))
			throw new Error("what is " + whole + "?");
		return letters[name];
	});
}

function readTag(tag, parts) {
	var name = /^[\w:-]+/.exec(tag)[0], attributes = {};
	var rest = tag.slice(name.length);

	rest = rest.replace(/\s+([\w:-]+)="([^"]*)"/g, function (whole, key, value) {
		attributes[key] = unescapeXml(value);
		return "";
	});
	if (!/^\s*\/?$/.test(rest))
		throw new Error("not an attribute:" + rest);
	parts.push({ open: name, attributes: attributes });
	if (rest.slice(-1) === "/")
		parts.push({ close: name });
}

function readXml(text) {
	var at = 0, parts = [];

	function until(mark) {
		var end = text.indexOf(mark, at), part = text.slice(at, end);

		if (end < 0)
			throw new Error("no " + mark);
		at = end + mark.length;
		return part;
	}

	function begins(mark) {
		var yes = text.slice(at, at + mark.length) === mark;

		at += yes ? mark.length : 0;
		return yes;
	}

	function letters() {
		var end = text.indexOf("<", at), part = text.slice(at, end < 0 ? text.length : end);

		at += part.length;
		return part;
	}

	while (at < text.length) {
		if (begins("<![CDATA["))
			parts.push({ text: until("]]>") });
		else if (begins("<?"))
			until("?>");
		else if (begins("</"))
			parts.push({ close: until(">") });
		else if (begins("<"))
			readTag(until(">"), parts);
		else
			parts.push({ text: unescapeXml(letters()) });
	}
	return parts;
}

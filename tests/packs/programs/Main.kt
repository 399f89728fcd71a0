// Uses the code that the kotlin pack made, and answers the runner: see run_packs.py for the commands.
import generated.AlphaNote
import generated.Bed
import generated.BetaNote
import generated.EveryRowEnumRequired
import generated.Garden
import generated.Grade
import generated.StartupCheck
import generated.Tables
import java.io.File
import kotlin.system.exitProcess

private class Json(private val text: String) {
    private var at = 0

    fun value(): Any {
        blanks()
        val c = text[at]
        if (c == '{') {
            val map = linkedMapOf<String, Any?>()
            at++
            blanks()
            while (text[at] != '}') {
                if (text[at] == ',') at++
                val key = value() as String
                blanks()
                at++
                map[key] = value()
                blanks()
            }
            at++
            return map
        }
        if (c == '[') {
            val list = mutableListOf<Any?>()
            at++
            blanks()
            while (text[at] != ']') {
                if (text[at] == ',') at++
                list += value()
                blanks()
            }
            at++
            return list
        }
        if (c == '"') {
            val result = StringBuilder()
            at++
            while (text[at] != '"') {
                if (text[at] == '\\') at++
                result.append(text[at++])
            }
            at++
            return result.toString()
        }
        val from = at
        while (text[at] !in ",}] \n") at++
        val word = text.substring(from, at)
        return if (word == "true") true else if (word == "false") false else word.toInt()
    }

    private fun blanks() {
        while (text[at] in " \n\r\t") at++
    }
}

@Suppress("UNCHECKED_CAST")
private fun model(path: String): Map<String, Any?>? = try {
    Json(File(path).readText()).value() as Map<String, Any?>
} catch (error: Exception) {
    null
}

private fun use() {
    check(EveryRowEnumRequired.of("south_east") == EveryRowEnumRequired.SOUTH_EAST)
    check(EveryRowEnumRequired.CLASS.text == "class")
    check(runCatching { Grade.of("Z") }.exceptionOrNull()?.message?.contains("Z") == true)
    val garden = Garden(beds = listOf(), note = BetaNote(number = 2), own = AlphaNote(text = "x"))
    val bed = Bed(name = "n", parts = listOf(Bed()), garden = garden)
    check(bed == bed.copy() && bed.below == null)
    check(Tables.Odd.TABLE_NAME == "an \"odd\" \$table")
    check(Tables.Odd.COLUMN_KEY == "the \"key\" \\\$k")
}

private fun show(problems: List<StartupCheck.Problem>) = problems.forEach { println("${it.code} ${it.message}") }

fun main(arguments: Array<String>) {
    when (arguments[0]) {
        "use" -> use()
        "check" -> show(StartupCheck.check(model(arguments[1])))
        "require" -> {
            StartupCheck.require(StartupCheck.check(model(arguments[1])))
            println("started")
        }
        "sql" -> StartupCheck.checkDatabase(arguments[1]) { sql ->
            print(sql)
            exitProcess(0)
        }
        else -> show(StartupCheck.checkDatabase(arguments[1]) {
            File(arguments[2]).readText().split('\u001e').filter { it.isNotEmpty() }.map { it.split('\u001f') }
        })
    }
}
